// Packs what Vite made into web_assets.bin, and writes the table of it as C++:
//     node tools/pack.mjs DIST OUT
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { extname, join, relative, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [, , dist, out] = process.argv;
const media = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
};
const worthwhile = 0.9; // a form that saves less is not kept

function filesBelow(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

const pieces = [];
let size = 0;
function stored(bytes) {
  const at = size;
  pieces.push(bytes);
  size += bytes.length;
  return `piece(${at}, ${bytes.length})`;
}

function smaller(bytes, packed) {
  return packed.length < bytes.length * worthwhile ? stored(packed) : "{}";
}

const entries = filesBelow(dist)
  .map((path) => ({ path, name: relative(dist, path) }))
  .sort((one, other) => (one.name < other.name ? -1 : 1))
  .map(({ path, name }) => {
    const bytes = readFileSync(path);
    const kind = media[extname(name)];
    if (!kind) throw new Error(`${name}: what is a ${extname(name)} file?`);
    const brotli = brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    });
    const gzip = gzipSync(bytes, { level: 9 });
    const etag = createHash("sha256").update(bytes).digest("hex").slice(0, 24);
    return `    web_asset{
        .path = "${name}",
        .media = "${kind}",
        .etag = "${etag}",
        .named_by_content = ${name.startsWith("assets/")},
        .plain = ${stored(bytes)},
        .gzip = ${smaller(bytes, gzip)},
        .brotli = ${smaller(bytes, brotli)}},`;
  });

const blob = join(resolve(out), "web_assets.bin");
writeFileSync(blob, Buffer.concat(pieces));
writeFileSync(
  join(out, "web_assets.cpp"),
  `// Made by web/tools/pack.mjs.
#include "apps/muster/server/web_assets.h"

#include <array>

__asm__(
    ".section .rodata\\n"
    ".hidden muster_web_assets\\n"
    ".global muster_web_assets\\n"
    "muster_web_assets:\\n"
    ".incbin \\"${blob}\\"\\n"
    ".previous\\n");
extern "C" const char muster_web_assets[];

namespace muster::server {
namespace {

using gateway::web_asset;

std::string_view piece(std::size_t at, std::size_t size) {
    return {muster_web_assets + at, size};
}

const std::array all{
${entries.join("\n")}
};

}  // namespace

gateway::web_assets web_assets() {
    return all;
}

}  // namespace muster::server
`,
);
