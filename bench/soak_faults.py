"""What breaks under bench/soak.py's server. Each fault ends before the next one begins."""
import contextlib
import os
import resource
import shutil
import signal
import time

from soak_world import start


# ---- The process that decodes ---------------------------------------------------------------------------------------


def a_helper(world, chance):
    """One there is as soon as a server that has just started decodes its first picture."""
    world.wait_for(lambda: world.wrong or world.server.helpers(), "no process decodes")
    pids = world.server.helpers()
    return chance.choice(pids) if pids else None


def kill_a_helper(world, chance):
    pid = a_helper(world, chance)
    if pid:
        with world.fault("helper"), contextlib.suppress(ProcessLookupError):  # it may just have ended
            os.kill(pid, signal.SIGKILL)


def stop_a_helper(world, chance):
    """For a moment, as a busy machine does: nothing may fail."""
    pid = a_helper(world, chance)
    if pid:
        world.count("fault stopped helper")
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
            time.sleep(chance.uniform(0.05, 0.3))
            os.kill(pid, signal.SIGCONT)


# ---- The disk ---------------------------------------------------------------------------------------------------------


def fill_the_disk(world, chance):
    """The small one that soak.py made, up to its last byte."""
    with world.fault("disk"):
        with open("filling", "wb", buffering=0) as f, contextlib.suppress(OSError):
            while True:
                f.write(bytes(4096))
        time.sleep(chance.uniform(0.1, 1))
        os.unlink("filling")


def forbid_writing(world, chance):
    """Where there is no such disk: the system says the same to a process that may write files of no size, of memory too."""
    with world.fault("limit"):
        limit = lambda size: resource.prlimit(world.server.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        limit(0)
        time.sleep(chance.uniform(0.1, 1))
        limit(resource.RLIM_INFINITY)


# ---- The model ---------------------------------------------------------------------------------------------------------


def put(model):
    shutil.copy(model, "new.f0t")
    os.rename("new.f0t", "live.f0t")


def swap_the_model(world, chance):
    """Requests that begin after the answer are answered by the new one alone."""
    model = chance.choice(sorted(world.references))
    world.count("fault model")
    with world.lock:
        world.models = world.models | {model}
        world.swaps.append(model)
    put(model)
    if chance.random() < 0.5:
        os.kill(world.server.pid, signal.SIGHUP)
    status, value, _ = world.server.ask("POST", "/v1/model/reload")
    if status != 200:
        world.complain(f"a good model was refused: {value}")
    with world.lock:
        world.models = {model}


def swap_for_a_broken_model(world, chance):
    """The old one stays."""
    whole = open("live.f0t", "rb").read()
    world.count("fault broken model")
    with open("new.f0t", "wb") as f:
        f.write(whole[:chance.randrange(len(whole))])
    os.rename("new.f0t", "live.f0t")
    status, value, _ = world.server.ask("POST", "/v1/model/reload")
    if status != 500 and status != 422:
        world.complain(f"a model that is cut was answered with {status}: {value}")
    with open("new.f0t", "wb") as f:
        f.write(whole)
    os.rename("new.f0t", "live.f0t")


# ---- The server ---------------------------------------------------------------------------------------------------------


def is_there(pid):
    """And no corpse."""
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(") ", 1)[1][0] not in "ZX"
    except FileNotFoundError:
        return False


def restart(world, how, name):
    with world.fault(name):
        helpers = world.server.helpers()
        code = world.server.end(how)
        if code != (0 if how == signal.SIGTERM else -how):
            world.complain(f"the server ended with {code}: " + open("stderr.txt").read()[-500:])
        world.wait_for(lambda: not any(map(is_there, helpers)), "a process that decodes outlives its server")
        world.server = start()
    with world.quiet():  # what clients did not hear of, they have told by now
        world.check_decisions()


def end_and_start(world, _):
    restart(world, signal.SIGTERM, "restart")


def kill_and_start(world, _):
    restart(world, signal.SIGKILL, "kill")


def faults(has_disk):
    return [kill_a_helper, kill_a_helper, stop_a_helper, fill_the_disk if has_disk else forbid_writing, swap_the_model, swap_the_model,
            swap_for_a_broken_model]


RESTARTS = [kill_and_start, kill_and_start, end_and_start]
