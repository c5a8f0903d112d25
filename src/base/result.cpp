#include "base/result.h"

#include "base/assert.h"

namespace muster {

std::string_view to_string(errc code) {
    switch (code) {
        case errc::not_found:
            return "not found";
        case errc::conflict:
            return "conflict";
        case errc::invalid:
            return "invalid";
        case errc::denied:
            return "denied";
        case errc::unavailable:
            return "unavailable";
        case errc::timed_out:
            return "timed out";
        case errc::cancelled:
            return "cancelled";
        case errc::corrupt:
            return "corrupt";
    }
    MUSTER_ASSERT(false);
}

error error::with_context(std::string_view step) const {
    return {code_, detail_.empty() ? std::string(step) : std::string(step) + ": " + detail_};
}

std::string to_string(const error& failure) {
    std::string text(to_string(failure.code()));
    if (!failure.detail().empty()) text += ": " + failure.detail();
    return text;
}

}  // namespace muster
