"""A local S3 server for tests: moto in server mode, in a process of its own, with a key that opens nothing else."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import boto3

from tests.programs import free_port, is_listening, stop, wait_until

START_WITHIN_S = 20.0
BUCKET = "burp-artifacts"
KEY = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}


@dataclass
class S3Server:
    """A running server with one empty bucket. The key must stand in the environment of whoever asks it."""

    url: str
    process: subprocess.Popen[bytes]

    def objects(self) -> dict[str, int]:
        """Return what lies in the bucket, with sizes."""
        listed = self.client().list_objects_v2(Bucket=BUCKET)
        return {found["Key"]: found["Size"] for found in listed.get("Contents", [])}

    def client(self):  # type: ignore[no-untyped-def]
        """Return a client of the test's own."""
        return boto3.client("s3", endpoint_url=self.url)

    def empty(self) -> None:
        """Delete everything."""
        for key in self.objects():
            self.client().delete_object(Bucket=BUCKET, Key=key)


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """Run a server and yield it."""
    port = free_port()
    command = [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, env={**os.environ, **KEY}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: is_listening(port), "the S3 server", within_s=START_WITHIN_S)
        server = S3Server(f"http://127.0.0.1:{port}", process)
        server.client().create_bucket(Bucket=BUCKET)
        yield server
    finally:
        stop(process)
