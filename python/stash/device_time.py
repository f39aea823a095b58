"""How long an accelerator worked on each step of a script, from events on its stream: a loop that only queues work
looks idle to its host."""

import sys
from collections import deque

MOST_PENDING = 64  # steps whose work is not done yet


class DeviceTime:
    """`now` is an event that was just recorded on the accelerator, None: there is none in use."""

    def __init__(self, now=None):
        self.now = now or cuda_event
        self.begun = None
        self.pending = deque()

    def begin_step(self):
        """A batch was handed to the loop."""
        self.begun = self.now()

    def end_step(self, free_s, waited_s):
        """The loop asks for the next batch: it had `free_s` for the step, and has now waited `waited_s`."""
        end = self.now() if self.begun is not None else None
        self.pending.append((self.begun, end, free_s, waited_s))
        self.begun = None

    def take_waited_s(self):
        """Of the steps that are done since the last call: the time for which neither loop nor accelerator had
        work."""
        waited = 0.0
        while self.pending:
            begun, end, free_s, waited_s = self.pending[0]
            busy_s = 0.0
            if end is not None:
                if not end.query() and len(self.pending) <= MOST_PENDING:
                    break
                busy_s = begun.elapsed_time(end) / 1000 if end.query() else free_s
            self.pending.popleft()
            waited += max(waited_s - max(busy_s - free_s, 0.0), 0.0)
        return waited


def cuda_event():
    """None: the script does not use CUDA in this process. Starts nothing that the script has not started."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available() or not torch.cuda.is_initialized():
        return None
    if torch.cuda.is_current_stream_capturing():
        return None
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event
