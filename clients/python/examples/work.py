import logging

from howdah import Fatal, Howdah, Job, Retry, Worker

logging.basicConfig(level=logging.INFO)
worker = Worker(Howdah("http://127.0.0.1:8080"), queues=["books"], concurrency=50)

@worker.job("invoice", timeout=60)
async def invoice(job: Job):
    if "order" not in job.payload:
        raise Fatal("an invoice needs an order")
    if job.payload["order"] == 8 and job.attempt == 1:
        raise Retry("the bank is closed", delay="PT0.1S")
    job.log("charging with the key " + job.key("charge"))
    job.progress(0.5, "charged")
    return {"order": job.payload["order"], "attempt": job.attempt}

worker.run()
