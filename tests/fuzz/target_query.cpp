// Queries come from command lines, URLs and bodies: none may crash the parser or the matcher.

#include "core/targeting/glob.h"
#include "core/targeting/query.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

class anything final : public muster::targeting::subject {
public:
    bool meets(const muster::targeting::term& condition) const override {
        return muster::targeting::glob_matches(condition.pattern, "web1.acme.org");
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    constexpr std::array<std::string_view, 3> fields{"name", "tag", "zone"};
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const auto parsed = muster::targeting::query::parse(text, fields);
    if (parsed) static_cast<void>(parsed->matches(anything()));
    return 0;
}
