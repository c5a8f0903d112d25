#include "core/targeting/text_pattern.h"

#include "core/targeting/fold.h"
#include "core/targeting/glob.h"

namespace muster::targeting {

text_pattern text_pattern::glob(std::string_view pattern, letter_case letters) {
    text_pattern made;
    made.source_ = letters == letter_case::any ? folded(pattern) : std::string(pattern);
    made.literal_ = !is_glob(pattern);
    if (!made.literal_) made.stars_ = stars_of(made.source_);
    return made;
}

std::optional<text_pattern::stars> text_pattern::stars_of(std::string_view glob) {
    if (glob.find_first_of("?[") != std::string_view::npos) return std::nullopt;
    stars made;
    auto star = glob.find('*');
    made.start = glob.substr(0, star);
    while (true) {
        glob.remove_prefix(star + 1);
        star = glob.find('*');
        if (star == std::string_view::npos) break;
        if (star > 0) made.between.emplace_back(glob.substr(0, star));
    }
    made.end = glob;
    return made;
}

bool text_pattern::fits(const stars& wanted, std::string_view text) {
    if (text.size() < wanted.start.size() + wanted.end.size()) return false;
    if (!text.starts_with(wanted.start) || !text.ends_with(wanted.end)) return false;
    text.remove_prefix(wanted.start.size());
    text.remove_suffix(wanted.end.size());
    // The first place where each is found leaves the most for the rest.
    for (const auto& each : wanted.between) {
        const auto at = text.find(each);
        if (at == std::string_view::npos) return false;
        text.remove_prefix(at + each.size());
    }
    return true;
}

text_pattern text_pattern::literal(std::string_view text) {
    text_pattern made;
    made.source_ = text;
    made.literal_ = true;
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
    if (stars_) return fits(*stars_, text);
    return glob_matches(source_, text);
}

}  // namespace muster::targeting
