from howdah import Howdah, Worker

howdah = Howdah("http://127.0.0.1:8080")
print("added", howdah.add("greet", {"name": "Ada"}).id)
worker = Worker(howdah)

@worker.job("greet")
def greet(job):
    return {"greeting": "Hello " + job.payload["name"]}

worker.run()
