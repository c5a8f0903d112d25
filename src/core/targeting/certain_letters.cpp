#include "core/targeting/certain_letters.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace muster::targeting {
namespace {

// The letters of a glob between whatever stands for others.
std::vector<certain_piece> glob_pieces(std::string_view glob) {
    std::vector<certain_piece> certain_pieces;
    certain_piece piece{.letters = {}, .at_start = true, .at_end = false};
    const auto finish = [&] {
        if (!piece.letters.empty()) certain_pieces.push_back(piece);
        piece = {};
    };
    for (const char letter : glob) {
        // Whatever follows may be within the set: nothing behind it is certain.
        if (letter == '[') {
            finish();
            return certain_pieces;
        }
        if (letter == '*' || letter == '?')
            finish();
        else
            piece.letters += letter;
    }
    piece.at_end = true;
    finish();
    return certain_pieces;
}

bool is_letter_or_digit(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9');
}

// Reads a regular expression from the left, as far as it is sure what that means.
class regex_reader {
public:
    explicit regex_reader(std::string_view pattern) : rest_(pattern) {}

    std::vector<certain_piece> read() {
        if (rest_.starts_with('^')) drop(1);
        while (sure_ && !rest_.empty()) step();
        finish();
        // Of alternatives none is certain, and there may be some in what was not read.
        if (rest_.contains('|')) return {};
        return std::move(found_);
    }

private:
    void drop(std::size_t count) { rest_.remove_prefix(std::min(count, rest_.size())); }
    bool next_is_any_of(std::string_view signs) const {
        return !rest_.empty() && signs.contains(rest_.front());
    }

    void finish() {
        if (!piece_.letters.empty()) found_.push_back(piece_);
        piece_ = {};
    }

    void step() {
        const char letter = rest_.front();
        if (letter == '(') {
            skip_group();
            pass_over();
        } else if (letter == '[') {
            skip_set();
            pass_over();
        } else if (letter == '.' || letter == '$') {
            drop(1);
            pass_over();
        } else if (letter == '\\') {
            escaped();
        } else if (std::string_view("|)^*+?{").contains(letter)) {
            sure_ = false;
        } else {
            drop(1);
            literal(letter);
        }
    }

    void escaped() {
        const char letter = rest_.size() < 2 ? 'Q' : rest_[1];
        if (std::string_view("dDwWsSbB").contains(letter)) {
            drop(2);
            pass_over();
        } else if (is_letter_or_digit(letter)) {
            sure_ = false;
        } else {
            drop(2);
            literal(letter);
        }
    }

    void literal(char letter) {
        // What is repeated may be there not at all.
        if (next_is_any_of("*?{")) {
            pass_over();
            return;
        }
        piece_.letters += letter;
        if (!next_is_any_of("+")) return;
        pass_over();
        piece_.letters = letter;  // the last of the run, before what follows it
    }

    // Something that may be any letters was read, and perhaps its repetition follows.
    void pass_over() {
        finish();
        if (next_is_any_of("*+?")) {
            drop(1);
        } else if (next_is_any_of("{")) {
            sure_ = sure_ && rest_.contains('}');
            if (sure_) drop(rest_.find('}') + 1);
        } else {
            return;
        }
        if (next_is_any_of("?+")) drop(1);
    }

    void skip_escaped() {
        sure_ = sure_ && rest_.size() > 1 && rest_[1] != 'Q' && rest_[1] != 'E';
        if (sure_) drop(2);
    }

    void skip_set() {
        drop(1);
        if (rest_.starts_with('^')) drop(1);
        if (rest_.starts_with(']')) drop(1);
        while (sure_ && !rest_.empty() && rest_.front() != ']') {
            if (rest_.front() == '\\')
                skip_escaped();
            else if (rest_.starts_with("[:"))
                drop(rest_.contains(":]") ? rest_.find(":]") + 2 : 1);
            else
                drop(1);
        }
        sure_ = sure_ && !rest_.empty();
        if (sure_) drop(1);
    }

    void skip_group() {
        std::size_t depth = 0;
        do {
            if (rest_.front() == '(') {
                // Options and the like change what everything behind them means.
                const bool plain = !rest_.starts_with("(?") && !rest_.starts_with("(*");
                sure_ = plain || rest_.starts_with("(?:");
                if (!sure_) return;
                drop(plain ? 1 : 3);
                ++depth;
            } else if (rest_.front() == '\\') {
                skip_escaped();
            } else if (rest_.front() == '[') {
                skip_set();
            } else {
                if (rest_.front() == ')') --depth;
                drop(1);
            }
        } while (sure_ && depth > 0 && !rest_.empty());
        sure_ = sure_ && depth == 0;
    }

    std::string_view rest_;
    bool sure_ = true;
    certain_piece piece_{.letters = {}, .at_start = true, .at_end = false};
    std::vector<certain_piece> found_;
};

}  // namespace

std::vector<certain_piece> certain_pieces(const text_pattern& test) {
    if (test.is_regex()) return regex_reader(test.source()).read();
    if (test.is_literal()) return {{.letters = test.source(), .at_start = true, .at_end = true}};
    return glob_pieces(test.source());
}

}  // namespace muster::targeting
