"""Names that the program and Python share, written from src/stash/launch/protocol by

    STASH_WRITE_NAMES=1 stash_launch_tests --gtest_filter='Protocol.*'
"""

ORDER_VARIABLE = "STASH_ORDER"
CREW_INDEX_VARIABLE = "STASH_CREW_INDEX"
EVENT_FD_VARIABLE = "STASH_EVENT_FD"
SHARED_FD_VARIABLE = "STASH_SHARED_FD"
RUN_FOLDER_VARIABLE = "STASH_RUN_FOLDER"
SCRIPT_ORDER_FILE = "script_order.json"
EVENTS_SUFFIX = ".events"
PYTHON_MARK = "python-"
TORCH_MARK = "torch-"
BUSY_MARK = "busy-"
SCRIPT_ORDER_KEYS = ("program", "watch", "keep_training", "records_work", "tries", "input", "pool", "data", "job")
ERROR_EVENT = "error"
ERROR_KEYS = ("kind", "message", "lost")
WARNING_EVENT = "warning"
WARNING_KEYS = ("rank", "text")
TRAINED_EVENT = "trained"
TRAINED_KEYS = ("samples", "s", "waited_s", "workers")
POOL_PROTOCOL = 1
JOIN_MESSAGE = "join"
JOIN_KEYS = ("protocol", "name", "job", "rank", "ranks_here", "pid", "workers", "min_workers", "max_workers")
REPORT_MESSAGE = "report"
REPORT_KEYS = ("workers", "elapsed_s", "samples", "batches", "waited_s", "busy_s", "cpu_s", "samples_left")
LEAVE_MESSAGE = "leave"
SHARE_MESSAGE = "share"
SHARE_KEYS = ("workers", "most_workers", "report_s")
RECORDED_EVENT = "recorded"
RECORDED_KEYS = ("trace", "batch", "sample_bytes", "parameters")
SCRIPT_EVENT = "script"
SCRIPT_KEYS = ("input", "parameters", "optimizers", "stored_as", "autocast", "wrappers", "peak_memory_bytes")
FAULT_KINDS = ("usage", "environment", "memory", "peer")
