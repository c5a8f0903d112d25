#include "core/table/encoding.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace muster::table {
namespace {

constexpr std::size_t word_bytes = 8;

void append_word(std::uint64_t word, std::string& output) {
    for (int shift = 56; shift >= 0; shift -= 8)
        output.push_back(static_cast<char>((word >> static_cast<unsigned>(shift)) & 0xffU));
}

void append_signed(char tag, std::int64_t number, std::string& output) {
    output.push_back(tag);
    append_word(static_cast<std::uint64_t>(number), output);
}

void append_content(char tag, const std::string& content, std::string& output) {
    output.push_back(tag);
    append_word(content.size(), output);
    output += content;
}

struct encoder {
    std::string& output;

    void operator()(const null&) const { output.push_back('n'); }
    void operator()(bool truth) const { append_signed('b', truth ? 1 : 0, output); }
    void operator()(std::int64_t number) const { append_signed('i', number, output); }
    void operator()(double number) const {
        const double unsigned_zero = number == 0 ? 0 : number;  // -0 and 0 are one key
        append_signed('r', std::bit_cast<std::int64_t>(unsigned_zero), output);
    }
    void operator()(const std::string& text) const { append_content('t', text, output); }
    void operator()(const blob& blob) const { append_content('x', blob.content, output); }
    void operator()(const wall_time& time) const {
        append_signed('w', time.time_since_epoch().count(), output);
    }
};

std::unexpected<error> corrupt_row() {
    return fail(errc::corrupt, "not an encoded row");
}

result<std::uint64_t> consume_word(std::string_view& bytes) {
    if (bytes.size() < word_bytes) return corrupt_row();
    std::uint64_t word = 0;
    for (const char byte : bytes.substr(0, word_bytes))
        word = (word << 8U) | static_cast<std::uint8_t>(byte);
    bytes.remove_prefix(word_bytes);
    return word;
}

result<std::string> consume_content(std::string_view& bytes, std::uint64_t size) {
    if (size > bytes.size()) return corrupt_row();
    std::string content(bytes.substr(0, size));
    bytes.remove_prefix(size);
    return content;
}

}  // namespace

void encode(const value& cell, std::string& output) {
    std::visit(encoder{output}, cell);
}

std::string encode(const row& cells) {
    std::string text;
    for (const auto& cell : cells) encode(cell, text);
    return text;
}

result<value> decode_value(std::string_view& bytes) {
    if (bytes.empty()) return corrupt_row();
    const char tag = bytes.front();
    bytes.remove_prefix(1);
    if (tag == 'n') return value(null{});
    TRY(const std::uint64_t word, consume_word(bytes));
    const auto number = static_cast<std::int64_t>(word);
    switch (tag) {
        case 'b':
            if (word > 1)
                return corrupt_row();  // one encoding for each cell, so that they can be compared
            return value(word == 1);
        case 'i':
            return value(number);
        case 'r': {
            const auto real = std::bit_cast<double>(number);
            if (real == 0 && std::signbit(real)) return corrupt_row();  // it is written as 0
            return value(real);
        }
        case 'w':
            return value(wall_time(std::chrono::microseconds(number)));
        case 't': {
            TRY(std::string text, consume_content(bytes, word));
            return value(std::move(text));
        }
        case 'x': {
            TRY(std::string content, consume_content(bytes, word));
            return value(blob{std::move(content)});
        }
        default:
            return corrupt_row();
    }
}

result<row> decode_row(std::string_view bytes) {
    row cells;
    while (!bytes.empty()) {
        TRY(value cell, decode_value(bytes));
        cells.push_back(std::move(cell));
    }
    return cells;
}

}  // namespace muster::table
