#pragma once

#include "adapters/net/http/http_error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::net::http {

// The part of an HTTP/1.1 message before its body, parsed strictly (RFC 9112). Lines end with CRLF;
// folded lines, spaces before a colon and control characters are refused. Parsers that disagree on
// such input allow request smuggling.

enum class scan { incomplete, complete, malformed };

struct head_scan {
    scan state = scan::incomplete;
    // complete: size of the head with its empty line; incomplete: offset to continue the scan
    std::size_t size = 0;
};

// Finds the end of a head in the bytes received so far.
head_scan find_head_end(std::string_view received, std::size_t from);

struct head_limits {
    std::size_t fields_max = 100;
};

// The three words of the first line and the fields. Owns its text.
class head {
public:
    // `text` ends with the empty line. The words are not checked beyond their number.
    static parsed<head> parse(std::string_view text, head_limits limits);

    std::string_view word(std::size_t index) const { return view(words_[index]); }
    std::string_view rest_of_first_line() const { return view(words_[2]); }

    // The first field of this name, in any case.
    std::optional<std::string_view> field(std::string_view name) const;
    std::size_t count(std::string_view name) const;
    // True if a field of this name, a comma-separated list, contains the word.
    bool lists(std::string_view name, std::string_view word) const;

    std::size_t field_count() const { return fields_.size(); }
    std::pair<std::string_view, std::string_view> field_at(std::size_t index) const {
        return {view(fields_[index].name), view(fields_[index].value)};
    }

private:
    // Offsets, not views: the text moves with the head.
    struct range {
        std::uint32_t offset = 0;
        std::uint32_t size = 0;
    };
    struct field_ranges {
        range name;
        range value;
    };

    std::string_view view(range range) const {
        return std::string_view(text_).substr(range.offset, range.size);
    }
    range range_of(std::string_view part) const;
    parsed<void> parse_first_line(std::string_view line);
    parsed<void> parse_field(std::string_view line);

    std::string text_;
    std::array<range, 3> words_;
    std::vector<field_ranges> fields_;
};

bool equal_ignoring_case(std::string_view a, std::string_view b);
bool is_token(std::string_view text);
bool is_field_value(std::string_view text);

}  // namespace muster::net::http
