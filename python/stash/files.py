"""The files that a script's samples come from, as far as can be seen without privileges."""

import contextlib
import ctypes
import glob
import os
import sys

NEVER = ("/proc/", "/dev/", "/sys/", sys.prefix + "/", sys.base_prefix + "/lib/")
SYSTEM = ("/usr/", "/lib", "/bin/", "/etc/", "/var/", "/opt/", "/nix/")
CODE = (".py", ".pyc", ".so")
MOST_FILES = 50_000        # of a data folder; more are learned one by one
LEAST_OPEN_BYTES = 65_536  # of a file that is open and may be data: logs and locks are smaller
MADV_DONTNEED = 4          # of <sys/mman.h>
MOST_OF_MEMORY = 0.5       # that reading the data ahead may fill


class Files:
    def __init__(self, folder, given):
        """`folder`: of the run, where workers tell what they opened. `given`: the data that the user named, or None."""
        self.folder = folder
        self.seen = {}    # that samples were read from, in the order in which they were seen
        self.listed = []  # under the folder that the user named
        self.given = os.path.abspath(given) if given else None
        self.listening = False
        self.hooked = False
        self.watched_in = None  # the process that last looked at what it has open
        self.told = 0     # of those seen, to the process that this one reads for
        self.heard = {}   # of what workers told, bytes that were read, by file
        if self.given:
            self.list_given()

    def list_given(self):
        if os.path.isfile(self.given):
            self.listed = [self.given]
            return
        for folder, _, names in os.walk(self.given):
            self.listed += [os.path.join(folder, name) for name in names]
            if len(self.listed) > MOST_FILES:
                self.listed = []
                return

    def note(self, event, arguments):
        if self.listening and event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
            self.add(os.fsdecode(arguments[0]))

    def add(self, path):
        path = os.path.abspath(path)
        if self.given:
            wanted = path == self.given or path.startswith(self.given + os.sep)
        else:
            wanted = not path.startswith((*NEVER, self.folder + os.sep))
        if wanted and not path.endswith(CODE):
            self.seen[path] = None

    @contextlib.contextmanager
    def watching(self):
        """Files that Python code opens meanwhile, and those that are open or mapped after a process's first time."""
        if not self.hooked:
            sys.addaudithook(self.note)
            self.hooked = True
        self.listening = True
        try:
            yield
        finally:
            self.listening = False
            if self.watched_in != os.getpid():
                self.watched_in = os.getpid()
                self.add_open()

    def tell(self):
        """From a loader's worker, which has a copy of this object, to the rank that started it."""
        if len(self.seen) > self.told:
            with open(os.path.join(self.folder, f"opened-{os.getppid()}-{os.getpid()}"), "a", encoding="utf-8",
                      errors="surrogateescape") as file:
                file.writelines(path + "\n" for path in list(self.seen)[self.told:] if "\n" not in path)
            self.told = len(self.seen)

    def hear(self):
        """What this process's workers told."""
        for name in glob.glob(os.path.join(glob.escape(self.folder), f"opened-{os.getpid()}-*")):
            with open(name, encoding="utf-8", errors="surrogateescape") as file:
                file.seek(self.heard.get(name, 0))
                self.seen.update((line.rstrip("\n"), None) for line in file.readlines())
                self.heard[name] = file.tell()

    def add_open(self):
        """Files that stay open or mapped: archives, memory-mapped arrays, databases."""
        for name in os.listdir("/proc/self/fd"):
            with contextlib.suppress(OSError, StopIteration):
                path = os.readlink(f"/proc/self/fd/{name}")
                with open(f"/proc/self/fdinfo/{name}", encoding="ascii") as info:
                    flags = int(next(line for line in info if line.startswith("flags:")).split()[1], 8)
                if flags & os.O_ACCMODE == os.O_RDONLY:
                    self.add_if_data(path)
        code, mapped = set(), set()
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            for line in maps:
                fields = line.split(maxsplit=5)
                if len(fields) == 6 and fields[5].startswith("/"):
                    mapped.add(fields[5].rstrip("\n"))
                    if "x" in fields[1]:
                        code.add(fields[5].rstrip("\n"))
        for path in mapped - code:
            self.add_if_data(path)

    def add_if_data(self, path):
        """An open file may be anything: a log, a library, a cache of the system's. Data is larger, and elsewhere."""
        with contextlib.suppress(OSError):
            large = os.path.isfile(path) and os.path.getsize(path) > LEAST_OPEN_BYTES
            if large and not path.startswith((*NEVER, *SYSTEM)):
                self.add(path)

    def known(self):
        return bool(self.seen or self.listed)

    def evict(self):
        import _stash

        paths = list(self.seen) or self.listed
        let_go_of_maps(paths)
        return _stash.evict_files(paths) if paths else None

    def load(self):
        import _stash

        paths = list(self.seen) or self.listed
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
        return _stash.load_files(paths) if paths and self.bytes(paths) < MOST_OF_MEMORY * memory else None

    @staticmethod
    def bytes(paths):
        total = 0
        for path in paths:
            with contextlib.suppress(OSError):
                total += os.path.getsize(path)
        return total


def let_go_of_maps(paths):
    """Pages stay cached as long as somebody has them mapped. What is mapped for reading alone is read again from the
    file where it is needed."""
    wanted = set(paths)
    library = ctypes.CDLL(None, use_errno=True)
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            fields = line.split(maxsplit=5)
            if len(fields) == 6 and fields[1].startswith("r--") and fields[5].rstrip("\n") in wanted:
                start, end = (int(address, 16) for address in fields[0].split("-"))
                library.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), MADV_DONTNEED)
