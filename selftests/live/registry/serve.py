#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
#
# Three package registries in one server, as their clients see them: TLS, HTTP/1.1 with connections that
# stay, a package "parcel" that needs another, "twine", in each registry's own format, and in npm's a "crate"
# that needs sixty.
#
#	serve.py PORT CERTIFICATE KEY FILES LOG     FILES: the name that PyPI's files have
#
# LOG gets a line "SERVER-NAME METHOD PATH" for each request, and "connection" for each connection.

import base64
import bz2
import hashlib
import http.server
import io
import json
import socket
import ssl
import sys
import tarfile
import threading
import zipfile

port, certificate, key, files_name, log_path = sys.argv[1:]
log = open(log_path, "w", buffering=1)
packages = {"parcel": ["twine"], "twine": []}
many = {"crate": [f"item-{number}" for number in range(60)]}


def tar(mode, members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, text in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def npm_add(pages, name, needs):
    manifest = {"name": name, "version": "1.0.0", "main": "index.js"}
    manifest["dependencies"] = {need: "^1.0.0" for need in needs}
    body = f"module.exports = {json.dumps([name])}.concat(...{json.dumps(needs)}.map(require));\n"
    archive = tar("w:gz", {"package/package.json": json.dumps(manifest), "package/index.js": body})
    integrity = base64.b64encode(hashlib.sha512(archive).digest()).decode()
    path = f"/{name}/-/{name}-1.0.0.tgz"
    dist = {"tarball": "%s://{host}%s" % ("https", path), "integrity": "sha512-" + integrity}
    pages[path] = archive
    pages[f"/{name}"] = json.dumps({
        "name": name,
        "dist-tags": {"latest": "1.0.0"},
        "versions": {"1.0.0": {**manifest, "dist": dist}},
    }).encode()


def pypi_add(pages, name, needs):
    wheel, info = f"{name}-1.0-py3-none-any.whl", f"{name}-1.0.dist-info"
    members = {
        f"{name}.py": "SAYS = 'pip %s'\n" % name,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        + "".join(f"Requires-Dist: {need}\n" for need in needs),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    members[f"{info}/RECORD"] = "".join(f"{member},,\n" for member in [*members, f"{info}/RECORD"])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for member, text in members.items():
            archive.writestr(member, text)
    digest = hashlib.sha256(out.getvalue()).hexdigest()
    pages[f"/packages/{wheel}"] = out.getvalue()
    pages[f"/simple/{name}/"] = (
        f"<!DOCTYPE html><a href='//{files_name}/packages/{wheel}#sha256={digest}'>{wheel}</a>".encode())


def conda_add(pages, index, name, needs):
    record = {"name": name, "version": "1.0", "build": "0", "build_number": 0, "subdir": "noarch",
              "depends": needs}
    archive = tar("w:bz2", {"info/index.json": json.dumps(record), f"share/{name}": f"conda {name}\n"})
    file = f"{name}-1.0-0.tar.bz2"
    pages[f"/played/noarch/{file}"] = archive
    index[file] = {**record, "size": len(archive), "sha256": hashlib.sha256(archive).hexdigest(),
                   "md5": hashlib.md5(archive).hexdigest()}


def pages_make():
    pages, index = {}, {}
    for name, needs in packages.items():
        npm_add(pages, name, needs)
        pypi_add(pages, name, needs)
        conda_add(pages, index, name, needs)
    for name, needs in [*many.items(), *((need, []) for need in many["crate"])]:
        npm_add(pages, name, needs)
    for subdir, records in (("noarch", index), ("linux-64", {})):
        repodata = json.dumps({"info": {"subdir": subdir}, "packages": records, "packages.conda": {}})
        pages[f"/played/{subdir}/repodata.json"] = repodata.encode()
        pages[f"/played/{subdir}/repodata.json.bz2"] = bz2.compress(repodata.encode())
    return pages


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        # in the connection's own thread, so that one that is slow to greet keeps nobody waiting
        self.request.settimeout(30)
        self.request = context.wrap_socket(self.request, server_side=True)
        log.write("connection\n")
        super().setup()

    def answer(self):
        length = int(self.headers.get("content-length") or 0)
        self.rfile.read(length)
        host = self.headers["host"]
        # npm asks for known vulnerabilities and packages' news: there are none
        page = pages.get(self.path.split("?")[0]) if self.command != "POST" else b"{}"
        log.write(f"{host} {self.command} {self.path}\n")
        body = b"" if page is None else page.replace(b"{host}", host.encode())
        self.send_response(404 if page is None else 200)
        if self.path.startswith("/simple/"):
            self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_POST = do_HEAD = answer

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
    request_queue_size = 512

    def handle_error(self, request, client_address):
        log.write(f"error {sys.exc_info()[1]}\n")


pages = pages_make()
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
threading.stack_size(256 * 1024)
Server(("::", int(port)), Handler).serve_forever()
