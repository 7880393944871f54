from howdah import Howdah, Job, NewJob, Worker

howdah = Howdah("http://127.0.0.1:8080")
worker = Worker(howdah)

@worker.job("order")
def order(job: Job):
    payment = job.step("charge", lambda: f"payment {job.payload}")
    job.sleep("cool down", "PT2S")
    approval = job.await_signal("approval", "P7D")
    if approval is None:
        return job.step("refund", lambda: f"refunded {payment}")
    parcels = job.children("parcel", [NewJob("parcel", number) for number in (1, 2)])
    return {"payment": payment, "grams": sum(job.await_child(each) for each in parcels)}

@worker.job("parcel")
def parcel(job: Job):
    return 100 * job.payload

added = howdah.add("order", 17)
howdah.signal(added.id, "approval", True)
worker.run()
