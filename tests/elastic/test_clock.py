from hpc_components.elastic.clock import Clock


class Machine:
    """Its own time and the one that people and NTP set."""

    wall, running = 1_000_000.0, 50.0

    def clock(self, boot="b1"):
        return Clock(wall=lambda: self.wall, running=lambda: self.running, boot=boot)

    def run(self, seconds, ahead=0.0):
        self.running += seconds
        self.wall += seconds + ahead


def test_it_does_not_step_when_the_clock_is_set():
    machine = Machine()
    clock = machine.clock()
    began = clock()
    machine.run(10, ahead=1320)
    assert clock() - began == 10
    machine.run(10, ahead=-5000)
    assert clock() - began == 20


def test_the_step_is_told_once_and_followed():
    machine = Machine()
    clock = machine.clock()
    machine.run(10, ahead=1320)
    assert clock.set_right() == 1320
    assert clock() == machine.wall
    assert clock.set_right() == 0
    machine.run(10, ahead=-20)
    assert clock.set_right() == -20


def test_what_is_less_than_a_second_is_no_step():
    machine = Machine()
    clock = machine.clock()
    machine.run(10, ahead=0.6)
    assert clock.set_right() == 0
    machine.run(10, ahead=0.6)
    assert clock.set_right() > 1


def test_another_process_resumes_the_clock_unless_the_machine_was_booted():
    machine = Machine()
    former = machine.clock()
    machine.run(10, ahead=1320)
    later = machine.clock()
    later.resume(former.boot, former.epoch)
    assert later() == former()
    booted = machine.clock(boot="b2")
    booted.resume(former.boot, former.epoch)
    assert booted() == machine.wall
    unknown = machine.clock(boot="")
    unknown.resume("", former.epoch)
    assert unknown() == machine.wall


def test_the_real_one_tells_the_time():
    clock = Clock()
    assert clock.set_right() == 0
    assert clock.boot
