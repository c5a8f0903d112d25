#pragma once

#include "base/result.h"
#include "core/targeting/query.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::targeting {

enum class token_kind { word, both, either, negation, open, close, end };

struct token {
    token_kind kind = token_kind::end;
    std::size_t at = 0;  // from one
    std::string field;   // plain: of a word with a colon; empty without
    std::string text;
    bool quoted = false;  // then it stands for itself, however it begins
};

// errc::invalid: "at 7: …".
std::unexpected<error> fail_at(std::size_t position, const std::string& text);

// Which of the two an expression is written in.
dialect dialect_of(std::string_view text);

// Cuts an expression text words, parentheses and the three operators.
class lexer {
public:
    lexer(std::string_view text, dialect language) : text_(text), language_(language) {}

    result<token> next();

private:
    result<token> read_plain_word();
    token read_compound_word();
    result<void> read_quoted(std::string& text);

    std::string_view text_;
    dialect language_;
    std::size_t position_ = 0;
};

}  // namespace muster::targeting
