# limit: 180 s
# 2,010 connections that send a byte of a header now and then: others are answered meanwhile, and the slow ones end.  Also: attack/tools/slow.
import resource
import socket

from client import *

MANY = 2010
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
if hard < MANY + 100 and hard != resource.RLIM_INFINITY:
    print(f"this machine allows {hard} open files")
    sys.exit(77)
resource.setrlimit(resource.RLIMIT_NOFILE, (MANY + 100, hard))
at = urllib.parse.urlsplit(BASE)
slow = []
for i in range(MANY):
    try:
        each = socket.socket()
        each.settimeout(3)
        # Of several addresses: of one there may be few connections.
        each.bind((f"127.0.1.{1 + i % 30}", 0))
        each.connect((at.hostname, at.port))
        each.sendall(f"GET / HTTP/1.1\r\nHost: {at.netloc}\r\nX-A: ".encode())
        slow.append(each)
    except OSError:
        each.close()
worst = 0


def drip():
    alive = []
    for each in slow:
        try:
            each.sendall(b"a")
            each.setblocking(False)
            try:
                if not each.recv(1000):
                    raise OSError("it has ended")
            except BlockingIOError:
                pass
            alive.append(each)
        except OSError:
            each.close()
    slow[:] = alive
    return len(alive)


def all_have_ended():
    global worst
    began = time.monotonic()
    try:
        answer = urllib.request.urlopen(BASE + "/login", timeout=20)
        status = answer.status
    except urllib.error.HTTPError as error:
        status = error.code
    except OSError as error:
        fail(f"the login page beside {len(slow)} slow connections", error)
    worst = max(worst, time.monotonic() - began)
    if status not in (200, 401):
        fail("the login page beside slow connections: 200", status)
    return drip() < 20


wait(100, "the slow connections end", all_have_ended)
# All headers of a request have ten seconds.
if worst > 17:
    fail("the login page soon after ten seconds beside them", f"{worst:.1f} s")
