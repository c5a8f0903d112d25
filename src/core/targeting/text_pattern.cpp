#include "core/targeting/text_pattern.h"

#include "core/targeting/fold.h"
#include "core/targeting/glob.h"

namespace muster::targeting {

text_pattern text_pattern::glob(std::string_view pattern, letter_case letters) {
    text_pattern result;
    result.source_ = letters == letter_case::any ? folded(pattern) : std::string(pattern);
    result.literal_ = !is_glob(pattern);
    if (!result.literal_) result.stars_ = stars_of(result.source_);
    return result;
}

std::optional<text_pattern::stars> text_pattern::stars_of(std::string_view glob) {
    if (glob.find_first_of("?[") != std::string_view::npos) return std::nullopt;
    stars stars;
    auto star = glob.find('*');
    stars.start = glob.substr(0, star);
    while (true) {
        glob.remove_prefix(star + 1);
        star = glob.find('*');
        if (star == std::string_view::npos) break;
        if (star > 0) stars.between.emplace_back(glob.substr(0, star));
    }
    stars.end = glob;
    return stars;
}

bool text_pattern::fits(const stars& stars, std::string_view text) {
    if (text.size() < stars.start.size() + stars.end.size()) return false;
    if (!text.starts_with(stars.start) || !text.ends_with(stars.end)) return false;
    text.remove_prefix(stars.start.size());
    text.remove_suffix(stars.end.size());
    // The first place where each is found leaves the most for the rest.
    for (const auto& each : stars.between) {
        const auto at = text.find(each);
        if (at == std::string_view::npos) return false;
        text.remove_prefix(at + each.size());
    }
    return true;
}

text_pattern text_pattern::literal(std::string_view text) {
    text_pattern result;
    result.source_ = text;
    result.literal_ = true;
    return result;
}

result<text_pattern> text_pattern::regular(const std::string& pattern, letter_case letters) {
    text_pattern result;
    TRY(result.regex_, regex::compile(pattern, letters));
    result.source_ = pattern;
    return result;
}

bool text_pattern::matches(std::string_view text) const {
    if (regex_) return regex_->matches(text);
    if (literal_) return text == source_;
    if (stars_) return fits(*stars_, text);
    return glob_matches(source_, text);
}

}  // namespace muster::targeting
