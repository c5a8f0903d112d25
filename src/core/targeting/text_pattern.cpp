#include "core/targeting/text_pattern.h"

#include "core/targeting/fold.h"
#include "core/targeting/glob.h"

namespace muster::targeting {

text_pattern text_pattern::glob(std::string_view pattern, letter_case letters) {
    text_pattern result;
    result.source_ = letters == letter_case::any ? folded(pattern) : std::string(pattern);
    result.literal_ = !is_glob(pattern);
    if (!result.literal_) result.glob_parts_ = parse_glob_parts(result.source_);
    return result;
}

std::optional<text_pattern::glob_parts> text_pattern::parse_glob_parts(std::string_view glob) {
    if (glob.find_first_of("?[") != std::string_view::npos) return std::nullopt;
    targeting::text_pattern::glob_parts parts;
    auto star = glob.find('*');
    parts.start = glob.substr(0, star);
    while (true) {
        glob.remove_prefix(star + 1);
        star = glob.find('*');
        if (star == std::string_view::npos) break;
        if (star > 0) parts.between.emplace_back(glob.substr(0, star));
    }
    parts.end = glob;
    return parts;
}

bool text_pattern::fits(const glob_parts& parts, std::string_view text) {
    if (text.size() < parts.start.size() + parts.end.size()) return false;
    if (!text.starts_with(parts.start) || !text.ends_with(parts.end)) return false;
    text.remove_prefix(parts.start.size());
    text.remove_suffix(parts.end.size());
    // The first place where each is found leaves the most for the rest.
    for (const auto& part : parts.between) {
        const auto position = text.find(part);
        if (position == std::string_view::npos) return false;
        text.remove_prefix(position + part.size());
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
    if (glob_parts_) return fits(*glob_parts_, text);
    return glob_matches(source_, text);
}

}  // namespace muster::targeting
