#include "core/targeting/lexer.h"

#include "core/targeting/engine.h"
#include "core/targeting/fold.h"

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
    bool starts = true;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (starts && split_engine(text.substr(at))) return dialect::compound;
        starts = is_space(text[at]);
    }
    return dialect::plain;
}

result<token> lexer::next() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (at_ == text_.size()) return token{.kind = token_kind::end, .at = at_ + 1};
    if (language_ == dialect::compound) return compound_word();
    if (text_[at_] == '(') return token{.kind = token_kind::open, .at = ++at_};
    if (text_[at_] == ')') return token{.kind = token_kind::close, .at = ++at_};
    return plain_word();
}

token lexer::compound_word() {
    token match{.kind = token_kind::word, .at = at_ + 1};
    while (at_ < text_.size() && !is_space(text_[at_])) match.text += text_[at_++];
    match.kind = kind_of(match.text);
    return match;
}

result<void> lexer::quoted(std::string& into) {
    const auto start = at_ + 1;
    const char quote = text_[at_++];
    while (at_ < text_.size() && text_[at_] != quote) {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
        into += text_[at_++];
    }
    if (at_ == text_.size())
        return fail_at(start, "the quote that opens here is never closed; add one");
    ++at_;
    return {};
}

result<token> lexer::plain_word() {
    token match{.kind = token_kind::word, .at = at_ + 1};
    while (at_ < text_.size() && !ends_word(text_[at_])) {
        const char letter = text_[at_];
        if (letter == '"' || letter == '\'') {
            CHECK_OK(quoted(match.text));
            match.quoted = true;
        } else if (letter == ':' && match.field.empty() && !match.quoted) {
            if (match.text.empty()) return fail_at(match.at, "there is no field before the colon");
            match.field = std::exchange(match.text, {});
            ++at_;
        } else {
            match.text += letter;
            ++at_;
        }
    }
    if (!match.quoted && match.field.empty()) match.kind = kind_of(folded(match.text));
    if (match.text.empty() && (!match.quoted || match.field.empty()))
        return fail_at(match.at, "there is nothing to look for; for everything, say *");
    return match;
}

}  // namespace muster::targeting
