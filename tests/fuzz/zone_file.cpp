// Zone files are read from the machine, whoever put them there: none may crash the parser.

#include "core/windows/tzif.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    static_cast<void>(muster::windows::parse_tzif("fuzzed", text));
    return 0;
}
