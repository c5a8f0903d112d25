#pragma once

#include "base/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::targeting {

enum class token_kind { word, both, either, negation, open, close, end };

struct token {
    token_kind kind = token_kind::end;
    std::size_t at = 0;  // from one
    std::string field;   // of a word with a colon; empty without
    std::string text;
};

// errc::invalid: "at 7: …".
std::unexpected<error> fail_at(std::size_t position, const std::string& what);

// Cuts a query into words, parentheses and the three operators.
class lexer {
public:
    explicit lexer(std::string_view text) : text_(text) {}

    result<token> next();

private:
    result<token> word();
    result<void> quoted(std::string& into);

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace muster::targeting
