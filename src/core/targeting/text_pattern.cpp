#include "core/targeting/text_pattern.h"

#include "core/targeting/fold.h"
#include "core/targeting/glob.h"

namespace muster::targeting {

text_pattern text_pattern::glob(std::string_view pattern, letter_case letters) {
    text_pattern made;
    made.source_ = letters == letter_case::any ? folded(pattern) : std::string(pattern);
    made.literal_ = !is_glob(pattern);
    return made;
}

result<text_pattern> text_pattern::regular(const std::string& pattern, letter_case letters) {
    text_pattern made;
    TRY(made.regex_, regex::compile(pattern, letters));
    made.source_ = pattern;
    return made;
}

bool text_pattern::matches(std::string_view text) const {
    if (regex_) return regex_->matches(text);
    if (literal_) return text == source_;
    return glob_matches(source_, text);
}

}  // namespace muster::targeting
