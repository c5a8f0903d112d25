// Feeds arbitrary bytes to everything that reads a request before its handler does. The first byte
// says how the network cuts the rest into pieces; the outcome must not depend on it.
#include "adapters/net/http/body_decoder.h"
#include "adapters/net/http/request_head.h"
#include "adapters/net/http/uri.h"
#include "base/assert.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace muster::net::http;

struct reading {
    bool accepted = false;
    std::string body;
    std::size_t used = 0;

    friend bool operator==(const reading&, const reading&) = default;
};

void look_at(const request_head& head) {
    MUSTER_ASSERT(head.path().starts_with('/'));
    static_cast<void>(percent_decode(head.path()));
    static_cast<void>(query_value(head.query(), "fp"));
}

reading read_in_pieces(std::string_view bytes, std::size_t piece) {
    std::size_t scanned = 0;
    std::size_t observed = 0;
    head_scan head_scan{scan::incomplete};
    while (head_scan.what == scan::incomplete && observed < bytes.size()) {
        observed = std::min(bytes.size(), observed + piece);
        head_scan = find_head_end(bytes.substr(0, observed), scanned);
        scanned = head_scan.size;
    }
    if (head_scan.what != scan::complete) return {};
    const auto head = request_head::parse(bytes.substr(0, head_scan.size), {});
    if (!head) return {};
    look_at(*head);
    reading result{.accepted = true, .body = {}, .used = head_scan.size};
    body_decoder decoder(head->body());
    while (!decoder.at_end() && result.used < bytes.size()) {
        const auto reserved = decoder.feed(bytes.substr(result.used, piece), result.body);
        if (!reserved) return {};
        result.used += *reserved;
    }
    return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    const reading whole = read_in_pieces(bytes, bytes.size() + 1);
    const reading pieces = read_in_pieces(bytes, std::size_t{data[0]} + 1);
    MUSTER_ASSERT(whole == pieces);
    return 0;
}
