#include "core/targeting/required_substrings.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace muster::targeting {
namespace {

// The letters of a glob between whatever stands for others.
std::vector<required_substring> glob_pieces(std::string_view glob) {
    std::vector<required_substring> pieces;
    required_substring piece{.letters = {}, .at_start = true, .at_end = false};
    const auto finish = [&] {
        if (!piece.letters.empty()) pieces.push_back(piece);
        piece = {};
    };
    for (const char letter : glob) {
        // Whatever follows may be within the set: nothing behind it is certain.
        if (letter == '[') {
            finish();
            return pieces;
        }
        if (letter == '*' || letter == '?')
            finish();
        else
            piece.letters += letter;
    }
    piece.at_end = true;
    finish();
    return pieces;
}

bool is_letter_or_digit(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9');
}

// Reads a regular expression from the left, as far as it is sure what that means.
class regex_reader {
public:
    explicit regex_reader(std::string_view pattern) : rest_(pattern) {}

    std::vector<required_substring> read() {
        if (rest_.starts_with('^')) skip(1);
        while (understood_ && !rest_.empty()) step();
        finish();
        // Of alternatives none is certain, and there may be some in what was not read.
        if (rest_.contains('|')) return {};
        return std::move(result_);
    }

private:
    void skip(std::size_t count) { rest_.remove_prefix(std::min(count, rest_.size())); }
    bool next_is_any_of(std::string_view signs) const {
        return !rest_.empty() && signs.contains(rest_.front());
    }

    void finish() {
        if (!piece_.letters.empty()) result_.push_back(piece_);
        piece_ = {};
    }

    void step() {
        const char letter = rest_.front();
        if (letter == '(') {
            skip_group();
            skip_repetition();
        } else if (letter == '[') {
            skip_set();
            skip_repetition();
        } else if (letter == '.' || letter == '$') {
            skip(1);
            skip_repetition();
        } else if (letter == '\\') {
            read_escape();
        } else if (std::string_view("|)^*+?{").contains(letter)) {
            understood_ = false;
        } else {
            skip(1);
            add_literal(letter);
        }
    }

    void read_escape() {
        const char letter = rest_.size() < 2 ? 'Q' : rest_[1];
        if (std::string_view("dDwWsSbB").contains(letter)) {
            skip(2);
            skip_repetition();
        } else if (is_letter_or_digit(letter)) {
            understood_ = false;
        } else {
            skip(2);
            add_literal(letter);
        }
    }

    void add_literal(char letter) {
        // What is repeated may be there not at all.
        if (next_is_any_of("*?{")) {
            skip_repetition();
            return;
        }
        piece_.letters += letter;
        if (!next_is_any_of("+")) return;
        skip_repetition();
        piece_.letters = letter;  // the last of the run, before what follows it
    }

    // Something that may be any letters was read, and perhaps its repetition follows.
    void skip_repetition() {
        finish();
        if (next_is_any_of("*+?")) {
            skip(1);
        } else if (next_is_any_of("{")) {
            understood_ = understood_ && rest_.contains('}');
            if (understood_) skip(rest_.find('}') + 1);
        } else {
            return;
        }
        if (next_is_any_of("?+")) skip(1);
    }

    void skip_escaped() {
        understood_ = understood_ && rest_.size() > 1 && rest_[1] != 'Q' && rest_[1] != 'E';
        if (understood_) skip(2);
    }

    void skip_set() {
        skip(1);
        if (rest_.starts_with('^')) skip(1);
        if (rest_.starts_with(']')) skip(1);
        while (understood_ && !rest_.empty() && rest_.front() != ']') {
            if (rest_.front() == '\\')
                skip_escaped();
            else if (rest_.starts_with("[:"))
                skip(rest_.contains(":]") ? rest_.find(":]") + 2 : 1);
            else
                skip(1);
        }
        understood_ = understood_ && !rest_.empty();
        if (understood_) skip(1);
    }

    void skip_group() {
        std::size_t depth = 0;
        do {
            if (rest_.front() == '(') {
                // Options and the like change what everything behind them means.
                const bool plain = !rest_.starts_with("(?") && !rest_.starts_with("(*");
                understood_ = plain || rest_.starts_with("(?:");
                if (!understood_) return;
                skip(plain ? 1 : 3);
                ++depth;
            } else if (rest_.front() == '\\') {
                skip_escaped();
            } else if (rest_.front() == '[') {
                skip_set();
            } else {
                if (rest_.front() == ')') --depth;
                skip(1);
            }
        } while (understood_ && depth > 0 && !rest_.empty());
        understood_ = understood_ && depth == 0;
    }

    std::string_view rest_;
    bool understood_ = true;
    required_substring piece_{.letters = {}, .at_start = true, .at_end = false};
    std::vector<required_substring> result_;
};

}  // namespace

std::vector<required_substring> required_substrings(const text_pattern& test) {
    if (test.is_regex()) return regex_reader(test.source()).read();
    if (test.is_literal()) return {{.letters = test.source(), .at_start = true, .at_end = true}};
    return glob_pieces(test.source());
}

}  // namespace muster::targeting
