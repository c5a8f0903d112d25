#include "adapters/bus/nats/frame.h"

#include <array>
#include <charconv>
#include <vector>

namespace muster::nats {

namespace {

template <class Number>
bool read(std::string_view word, Number& number) {
    const auto* const end = word.data() + word.size();
    const auto [stop, failure] = std::from_chars(word.data(), end, number);
    return failure == std::errc() && stop == end;
}

}  // namespace

std::optional<delivery_mark> read_delivery_mark(std::string_view reply_subject) {
    constexpr std::size_t words_max = 12;
    constexpr std::size_t words_without_domain = 9;
    constexpr std::size_t words_of_domain = 2;
    std::array<std::string_view, words_max> words;
    std::size_t count = 0;
    for (auto rest = reply_subject; count < words_max && !rest.empty(); ++count) {
        const auto dot = rest.find('.');
        words[count] = rest.substr(0, dot);
        rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    }
    if (count < words_without_domain || words[0] != "$JS" || words[1] != "ACK") return std::nullopt;
    const std::size_t first = count == words_without_domain ? 2 : 2 + words_of_domain;
    delivery_mark mark;
    if (first + 4 >= count || !read(words[first + 2], mark.attempt)
        || !read(words[first + 3], mark.stream_sequence)
        || !read(words[first + 4], mark.consumer_sequence)) {
        return std::nullopt;
    }
    return mark;
}

}  // namespace muster::nats
