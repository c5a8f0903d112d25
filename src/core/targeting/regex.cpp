#include "core/targeting/regex.h"

#include <array>
#include <cstdint>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace muster::targeting {
namespace {

// A name or a fact is short: an honest pattern needs a few hundred steps, a hostile one as many as
// it gets.
constexpr std::uint32_t steps_max = 5'000;
constexpr std::uint32_t depth_max = 250;
constexpr std::uint32_t heap_kibibytes_max = 256;

struct freed_context {
    void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
    void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};

// What a match works in: one a thread, made once.
struct workplace {
    std::unique_ptr<pcre2_match_context, freed_context> context{
        pcre2_match_context_create(nullptr)};
    std::unique_ptr<pcre2_match_data, freed_context> data{pcre2_match_data_create(1, nullptr)};

    workplace() {
        pcre2_set_match_limit(context.get(), steps_max);
        pcre2_set_depth_limit(context.get(), depth_max);
        pcre2_set_heap_limit(context.get(), heap_kibibytes_max);
    }
};

std::string reason_of(int code) {
    std::array<unsigned char, 128> text{};
    pcre2_get_error_message(code, text.data(), text.size());
    return {text.begin(), std::find(text.begin(), text.end(), '\0')};
}

}  // namespace

result<std::shared_ptr<const regex>> regex::compile(
    const std::string& pattern, letter_case letters) {
    if (pattern.size() > pattern_bytes_max)
        return fail(
            errc::invalid,
            "regular expression is longer than " + std::to_string(pattern_bytes_max) + " bytes");
    const std::uint32_t options = PCRE2_ANCHORED | PCRE2_NEVER_BACKSLASH_C
                                  | (letters == letter_case::any ? PCRE2_CASELESS : 0U);
    int failure = 0;
    std::size_t where = 0;
    auto* const code = pcre2_compile(
        reinterpret_cast<const unsigned char*>(pattern.data()),
        pattern.size(),
        options,
        &failure,
        &where,
        nullptr);
    if (code == nullptr)
        return fail(
            errc::invalid,
            "invalid regular expression at character " + std::to_string(where + 1) + ": "
                + reason_of(failure));
    // An optimisation; matching works without it.
    static_cast<void>(pcre2_jit_compile(code, PCRE2_JIT_COMPLETE));
    return std::shared_ptr<const regex>(new regex(code));
}

regex::~regex() {
    pcre2_code_free(code_);
}

bool regex::matches(std::string_view text) const {
    thread_local const workplace here;
    if (gave_up()) return false;
    const int match = pcre2_match(
        code_,
        reinterpret_cast<const unsigned char*>(text.data()),
        text.size(),
        0,
        0,
        here.data.get(),
        here.context.get());
    if (match >= 0) return true;
    if (match != PCRE2_ERROR_NOMATCH) gave_up_.store(true, std::memory_order_relaxed);
    return false;
}

}  // namespace muster::targeting
