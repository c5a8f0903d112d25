#include "apps/agent/tasks/captured_output.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace muster::agent {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

bool continues(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

// Of the letter that bytes begin with; none when it is not one (also overlong and surrogates).
std::size_t letter_size(std::string_view bytes) {
    const auto first = static_cast<unsigned char>(bytes[0]);
    if (first < 0x80U) return 1;
    const std::size_t size = first >= 0xf0U ? 4 : first >= 0xe0U ? 3 : 2;
    if (first < 0xc2U || first > 0xf4U || bytes.size() < size) return 0;
    if (!std::ranges::all_of(bytes.substr(1, size - 1), continues)) return 0;
    const auto second = static_cast<unsigned char>(bytes[1]);
    const bool wrong = (first == 0xe0U && second < 0xa0U) || (first == 0xedU && second > 0x9fU)
                       || (first == 0xf0U && second < 0x90U) || (first == 0xf4U && second > 0x8fU);
    return wrong ? 0 : size;
}

}  // namespace

clean_text as_utf8(std::string_view bytes) {
    clean_text clean;
    clean.text.reserve(bytes.size());
    while (!bytes.empty()) {
        const auto size = letter_size(bytes);
        if (size == 0) {
            clean.text += replacement;
            clean.replaced = true;
        } else {
            clean.text += bytes.substr(0, size);
        }
        bytes.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return clean;
}

void captured_output::add(std::string& to, std::string_view bytes) {
    const auto room = bytes_max_ - std::min(bytes_max_, output_.size() + error_.size());
    written_ += bytes.size();
    truncated_ = truncated_ || bytes.size() > room;
    to += bytes.substr(0, room);
}

std::string captured_output::payload(int exit_code) const {
    const auto output = as_utf8(output_);
    const auto error = as_utf8(error_);
    boost::json::object document{
        {"stdout", output.text},
        {"stderr", error.text},
        {"exit_code", exit_code},
        {"truncated", truncated_}};
    if (output.replaced || error.replaced) document["replaced"] = true;
    return boost::json::serialize(document);
}

}  // namespace muster::agent
