#include "services/jobs/payload_text.h"

#include <zstd.h>

namespace muster::jobs {

result<std::string> unpack(const payload& payload) {
    if (payload.size < 0 || static_cast<std::size_t>(payload.size) > payload_bytes_max)
        return fail(
            errc::corrupt,
            "payload size is " + std::to_string(payload.size) + " bytes; at most "
                + std::to_string(payload_bytes_max) + " are allowed");
    if (payload.plain) {
        if (payload.plain->size() != static_cast<std::size_t>(payload.size))
            return fail(errc::corrupt, "stored payload does not match its recorded size");
        return *payload.plain;
    }
    std::string text(static_cast<std::size_t>(payload.size), '\0');
    const auto size =
        ZSTD_decompress(text.data(), text.size(), payload.content.data(), payload.content.size());
    if (ZSTD_isError(size) != 0U || size != text.size())
        return fail(errc::corrupt, "stored payload cannot be decompressed");
    return text;
}

}  // namespace muster::jobs
