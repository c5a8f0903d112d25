#include "core/table/encoding.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace muster::table {
namespace {

constexpr std::size_t word_bytes = 8;

void append_word(std::uint64_t word, std::string& into) {
    for (int shift = 56; shift >= 0; shift -= 8)
        into.push_back(static_cast<char>((word >> static_cast<unsigned>(shift)) & 0xffU));
}

void append_signed(char tag, std::int64_t number, std::string& into) {
    into.push_back(tag);
    append_word(static_cast<std::uint64_t>(number), into);
}

void append_content(char tag, const std::string& content, std::string& into) {
    into.push_back(tag);
    append_word(content.size(), into);
    into += content;
}

struct encoder {
    std::string& into;

    void operator()(const null&) const { into.push_back('n'); }
    void operator()(bool truth) const { append_signed('b', truth ? 1 : 0, into); }
    void operator()(std::int64_t number) const { append_signed('i', number, into); }
    void operator()(double number) const {
        const double unsigned_zero = number == 0 ? 0 : number;  // -0 and 0 are one key
        append_signed('r', std::bit_cast<std::int64_t>(unsigned_zero), into);
    }
    void operator()(const std::string& text) const { append_content('t', text, into); }
    void operator()(const blob& bytes) const { append_content('x', bytes.content, into); }
    void operator()(const wall_time& time) const {
        append_signed('w', time.time_since_epoch().count(), into);
    }
};

std::unexpected<error> broken() {
    return fail(errc::corrupt, "not an encoded row");
}

result<std::uint64_t> take_word(std::string_view& from) {
    if (from.size() < word_bytes) return broken();
    std::uint64_t word = 0;
    for (const char byte : from.substr(0, word_bytes))
        word = (word << 8U) | static_cast<std::uint8_t>(byte);
    from.remove_prefix(word_bytes);
    return word;
}

result<std::string> take_content(std::string_view& from, std::uint64_t size) {
    if (size > from.size()) return broken();
    std::string content(from.substr(0, size));
    from.remove_prefix(size);
    return content;
}

}  // namespace

void encode(const value& cell, std::string& into) {
    std::visit(encoder{into}, cell);
}

std::string encode(const row& cells) {
    std::string text;
    for (const auto& cell : cells) encode(cell, text);
    return text;
}

result<value> decode_value(std::string_view& from) {
    if (from.empty()) return broken();
    const char tag = from.front();
    from.remove_prefix(1);
    if (tag == 'n') return value(null{});
    TRY(const std::uint64_t word, take_word(from));
    const auto number = static_cast<std::int64_t>(word);
    switch (tag) {
        case 'b':
            if (word > 1)
                return broken();  // one encoding for each cell, so that they can be compared
            return value(word == 1);
        case 'i':
            return value(number);
        case 'r': {
            const auto real = std::bit_cast<double>(number);
            if (real == 0 && std::signbit(real)) return broken();  // it is written as 0
            return value(real);
        }
        case 'w':
            return value(wall_time(std::chrono::microseconds(number)));
        case 't': {
            TRY(std::string text, take_content(from, word));
            return value(std::move(text));
        }
        case 'x': {
            TRY(std::string bytes, take_content(from, word));
            return value(blob{std::move(bytes)});
        }
        default:
            return broken();
    }
}

result<row> decode_row(std::string_view from) {
    row cells;
    while (!from.empty()) {
        TRY(value cell, decode_value(from));
        cells.push_back(std::move(cell));
    }
    return cells;
}

}  // namespace muster::table
