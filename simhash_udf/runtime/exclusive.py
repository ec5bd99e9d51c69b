"""Creating a file only if nobody else did: what keeps two writers from both being first.

On a local file system (and NFS) this is exclusive whatever happens at the same moment: a whole file gets its name by a
hard link, which fails if the name is taken. Elsewhere a file is written if none is there, which two writers can both
find; whoever needs more than that must hold something else meanwhile.
"""

from __future__ import annotations

import errno
import os
import posixpath
import uuid
from contextlib import suppress

from pyarrow import fs

from simhash_udf.runtime.storage import filesystem

PARTIAL = ".partial-"
"""Names of files that are being written begin with this; listings leave out names with a dot first."""

_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


def create_exclusively(path: str, content: bytes) -> bool:
    """Create a file that is there whole or not at all; return False and change nothing if there is one of that name."""
    files, place = filesystem(path)
    if isinstance(files, fs.LocalFileSystem):
        return create_by_link(place, content)
    return create_if_absent(files, place, content)


def is_exclusive(path: str) -> bool:
    """Say whether `create_exclusively` is exclusive there, and not only careful."""
    return isinstance(filesystem(path)[0], fs.LocalFileSystem)


def create_by_link(place: str, content: bytes) -> bool:
    """Create a local file by a hard link to a whole one, or where there are no links by an exclusive open."""
    directory = os.path.dirname(place)
    os.makedirs(directory, exist_ok=True)
    partial = os.path.join(directory, f"{PARTIAL}{uuid.uuid4().hex}")
    _write_new(partial, content)
    try:
        os.link(partial, place)
    except (FileExistsError, FileNotFoundError):  # the second: the holder of the place tidied up meanwhile
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        try:
            _write_new(place, content)
        except FileExistsError:
            return False
    finally:
        with suppress(FileNotFoundError):
            os.unlink(partial)
    _sync_directory(directory)
    return True


def create_if_absent(files: fs.FileSystem, place: str, content: bytes) -> bool:
    """Create a file on any file system unless one is there already when this begins.

    An object store shows an object when its stream is closed. HDFS shows a file while it is written, so there it gets
    its name by a rename, which HDFS refuses if the name is taken.
    """
    if files.get_file_info(place).type != fs.FileType.NotFound:
        return False
    directory, name = posixpath.split(place)
    files.create_dir(directory, recursive=True)
    is_whole_on_close = files.type_name not in {"hdfs", "mock"}
    target = place if is_whole_on_close else f"{directory}/{PARTIAL}{name}-{uuid.uuid4().hex}"
    with files.open_output_stream(target) as stream:
        stream.write(content)
    if is_whole_on_close:
        return True
    if files.get_file_info(place).type != fs.FileType.NotFound:
        files.delete_file(target)
        return False
    files.move(target, place)
    return True


def _write_new(place: str, content: bytes) -> None:
    """Write a file that must not be there, through to the disk."""
    with open(place, "xb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _sync_directory(directory: str) -> None:
    """Make the names in a directory last; not every file system can."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
