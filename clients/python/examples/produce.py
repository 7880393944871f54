from howdah import Conflict, Howdah, NewJob

howdah = Howdah("http://127.0.0.1:8080")
order = howdah.add("invoice", {"order": 7}, queue="books", delay="PT0.1S", key="order 7", tags=["order"])
howdah.add_many(NewJob("invoice", {"order": order}, queue="books") for order in range(8, 11))
done = howdah.wait(order.id, seconds=60)
print(done.state, done.result)
try:
    howdah.cancel(order.id)
except Conflict as error:
    print(error.type)
