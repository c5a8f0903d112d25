// Feeds arbitrary bytes to the reader of channel frames. The first byte says how the network cuts
// the rest into pieces; which frames come out, and whether it ends in a refusal, must not depend on
// it.
#include "adapters/agent_protocol/frame_codec.h"
#include "base/assert.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace {

using namespace muster::agent_protocol;

struct reading {
    std::vector<std::size_t> kinds_and_sizes;
    bool refused = false;

    friend bool operator==(const reading&, const reading&) = default;
};

reading read_in_pieces(std::string_view bytes, std::size_t piece) {
    frame_reader reader(frame_limits::hello_bytes_max);
    reading result;
    while (!bytes.empty() && !result.refused) {
        reader.feed(bytes.substr(0, std::min(piece, bytes.size())));
        bytes.remove_prefix(std::min(piece, bytes.size()));
        while (true) {
            const auto frame = reader.next();
            result.refused = !frame.has_value();
            if (result.refused || !*frame) break;
            MUSTER_ASSERT((*frame)->kind_case() != Frame::KIND_NOT_SET);
            result.kinds_and_sizes.push_back(static_cast<std::size_t>((*frame)->kind_case()));
            result.kinds_and_sizes.push_back((*frame)->ByteSizeLong());
        }
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
