#include "core/targeting/lexer.h"

#include <algorithm>
#include <utility>

namespace muster::targeting {
namespace {

bool is_space(char letter) {
    return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}

bool ends_word(char letter) {
    return is_space(letter) || letter == '(' || letter == ')';
}

char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

token_kind kind_of(std::string_view bare) {
    std::string word(bare);
    std::ranges::transform(word, word.begin(), lower);
    if (word == "and") return token_kind::both;
    if (word == "or") return token_kind::either;
    if (word == "not") return token_kind::negation;
    return token_kind::word;
}

}  // namespace

std::unexpected<error> fail_at(std::size_t position, const std::string& what) {
    return fail(errc::invalid, "at " + std::to_string(position) + ": " + what);
}

result<token> lexer::next() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (at_ == text_.size()) return token{.kind = token_kind::end, .at = at_ + 1};
    if (text_[at_] == '(') return token{.kind = token_kind::open, .at = ++at_};
    if (text_[at_] == ')') return token{.kind = token_kind::close, .at = ++at_};
    return word();
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

result<token> lexer::word() {
    token found{.kind = token_kind::word, .at = at_ + 1};
    bool bare = true;
    while (at_ < text_.size() && !ends_word(text_[at_])) {
        const char letter = text_[at_];
        if (letter == '"' || letter == '\'') {
            CHECK_OK(quoted(found.text));
            bare = false;
        } else if (letter == ':' && found.field.empty() && bare) {
            if (found.text.empty()) return fail_at(found.at, "there is no field before the colon");
            found.field = std::exchange(found.text, {});
            ++at_;
        } else {
            found.text += letter;
            ++at_;
        }
    }
    if (bare && found.field.empty()) found.kind = kind_of(found.text);
    if (found.text.empty() && (bare || found.field.empty()))
        return fail_at(found.at, "there is nothing to look for; for everything, say *");
    return found;
}

}  // namespace muster::targeting
