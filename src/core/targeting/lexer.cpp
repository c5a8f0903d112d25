#include "core/targeting/lexer.h"

#include "core/targeting/fold.h"
#include "core/targeting/matcher_prefix.h"

#include <utility>

namespace muster::targeting {
namespace {

bool is_space(char letter) {
    return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}

bool ends_word(char letter) {
    return is_space(letter) || letter == '(' || letter == ')';
}

token_kind kind_of(std::string_view word) {
    if (word == "and") return token_kind::both;
    if (word == "or") return token_kind::either;
    if (word == "not") return token_kind::negation;
    if (word == "(") return token_kind::open;
    if (word == ")") return token_kind::close;
    return token_kind::word;
}

}  // namespace

std::unexpected<error> fail_at(std::size_t position, const std::string& text) {
    return fail(errc::invalid, "at " + std::to_string(position) + ": " + text);
}

dialect dialect_of(std::string_view text) {
    bool word_start = true;
    for (std::size_t index = 0; index < text.size(); ++index) {
        if (word_start && split_matcher_prefix(text.substr(index))) return dialect::compound;
        word_start = is_space(text[index]);
    }
    return dialect::plain;
}

result<token> lexer::next() {
    while (position_ < text_.size() && is_space(text_[position_])) ++position_;
    if (position_ == text_.size()) return token{.kind = token_kind::end, .at = position_ + 1};
    if (language_ == dialect::compound) return read_compound_word();
    if (text_[position_] == '(') return token{.kind = token_kind::open, .at = ++position_};
    if (text_[position_] == ')') return token{.kind = token_kind::close, .at = ++position_};
    return read_plain_word();
}

token lexer::read_compound_word() {
    token result{.kind = token_kind::word, .at = position_ + 1};
    while (position_ < text_.size() && !is_space(text_[position_]))
        result.text += text_[position_++];
    result.kind = kind_of(result.text);
    return result;
}

result<void> lexer::read_quoted(std::string& text) {
    const auto start = position_ + 1;
    const char quote = text_[position_++];
    while (position_ < text_.size() && text_[position_] != quote) {
        if (text_[position_] == '\\' && position_ + 1 < text_.size()) ++position_;
        text += text_[position_++];
    }
    if (position_ == text_.size()) return fail_at(start, "missing closing quote");
    ++position_;
    return {};
}

result<token> lexer::read_plain_word() {
    token result{.kind = token_kind::word, .at = position_ + 1};
    while (position_ < text_.size() && !ends_word(text_[position_])) {
        const char letter = text_[position_];
        if (letter == '"' || letter == '\'') {
            CHECK_OK(read_quoted(result.text));
            result.quoted = true;
        } else if (letter == ':' && result.field.empty() && !result.quoted) {
            if (result.text.empty())
                return fail_at(result.at, "missing field name before the colon");
            result.field = std::exchange(result.text, {});
            ++position_;
        } else {
            result.text += letter;
            ++position_;
        }
    }
    if (!result.quoted && result.field.empty()) result.kind = kind_of(folded(result.text));
    if (result.text.empty() && (!result.quoted || result.field.empty()))
        return fail_at(result.at, "empty condition; use * to match all systems");
    return result;
}

}  // namespace muster::targeting
