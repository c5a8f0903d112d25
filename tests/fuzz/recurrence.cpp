// Rules of recurrence come with calendars and with schedules: none may crash the parser.

#include "core/windows/recurrence.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    static_cast<void>(muster::windows::recurrence::parse(text));
    return 0;
}
