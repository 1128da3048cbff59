"""A database that answers every request with the same records: `python big_upstream.py BYTES` prints its port."""

import asyncio
import json
import sys

RECORD = {
    "id": "NCT00000000",
    "title": "Vemurafenib and cobimetinib in patients with BRAF V600E metastatic melanoma: a phase 3 study",
    "phases": ["PHASE3"],
    "enrolled": 495,
    "score": 0.8731,
    "arms": [{"label": "arm", "kind": "EXPERIMENTAL", "drugs": ["vemurafenib", "cobimetinib"]}] * 3,
}


def body(size: int) -> bytes:
    """Return a list of different records with about so many bytes."""
    number = size // len(json.dumps(RECORD))
    return json.dumps([{**RECORD, "id": f"NCT{n:08}", "enrolled": n} for n in range(number)]).encode()


async def main() -> None:
    """Serve until killed."""
    content = body(int(sys.argv[1]))
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n".encode()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(head + content)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
