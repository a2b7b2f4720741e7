"""Runs a command on a terminal of its own, and types a password once it is asked for: python3 type_password.py PASSWORD COMMAND"""
import os
import pty
import sys

password, command = sys.argv[1:]
process, terminal = pty.fork()
if process == 0:
    os.execvp("sh", ["sh", "-c", command])
said = b""
while True:
    try:
        some = os.read(terminal, 4096)
    except OSError:
        break  # All have closed it.
    sys.stdout.buffer.write(some)
    sys.stdout.flush()
    said += some
    if b"password for" in said and said.rstrip().endswith(b":"):
        os.write(terminal, password.encode() + b"\n")
        said = b""
sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
