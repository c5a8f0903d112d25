// Expressions come from command lines, URLs, bodies and saved groups: none may crash the parser or
// the matcher, nor take long, in either language.

#include "core/targeting/query.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

using namespace muster::targeting;

class anything final : public subject {
public:
    std::string_view name() const override { return "web1.acme.org"; }
    bool has(field /*which*/, const text_pattern& test) const override {
        return test.matches("web1.acme.org");
    }
    std::span<const fact> facts() const override { return told_; }

private:
    std::array<fact, 4> told_{
        {{"addresses", "10.0.0.7"},
         {"ec2.tags.role", "web:1"},
         {"os.id", "debian"},
         {"os.name", "debian gnu/linux"}}};
};

// A group means the first part of the input, so that groups meet every other word.
void try_out(std::string_view text, dialect language) {
    const auto existing = [text](const std::string& name) -> std::optional<std::string> {
        if (name.size() > 1) return std::nullopt;
        return std::string(text.substr(0, text.find('\n')));
    };
    const auto parsed = query::parse(text, {.language = language, .groups = existing});
    if (!parsed) {
        if (!position_of(parsed.error()) && text.size() <= query_limits::bytes_max)
            __builtin_trap();  // every error says where
        return;
    }
    static_cast<void>(parsed->matches(anything()));
    static_cast<void>(parsed->listed_names());
    static_cast<void>(parsed->check_effort());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    try_out(text, dialect::automatic);
    try_out(text, dialect::plain);
    try_out(text, dialect::compound);
    return 0;
}
