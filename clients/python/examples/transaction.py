import psycopg2

from howdah import sql

connection = psycopg2.connect("postgresql://postgres@db.example/shop")
with connection:
    connection.cursor().execute("UPDATE wallet SET cents = cents - 50 WHERE id = 7")
    print(sql.add(connection, "invoice", {"order": 12}, queue="books", delay="PT1H", tags=["order"]).added)
    print(len(sql.add_many(connection, "invoice", [{"order": 13}, {"order": 14}], queue="books")))
