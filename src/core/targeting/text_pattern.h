#pragma once

#include "core/targeting/regex.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::targeting {

// What a text must look like: a glob for the whole of it, or a regular expression for its start.
class text_pattern {
public:
    // With letter_case::any the texts that are asked about must be folded already.
    static text_pattern glob(std::string_view pattern, letter_case letters);
    // Nothing but this text, whatever signs it has.
    static text_pattern literal(std::string_view text);
    static result<text_pattern> regular(const std::string& pattern, letter_case letters);

    bool matches(std::string_view text) const;

    // A glob of letters and stars only, which is what people write: what must stand at the start,
    // what between in this order, what at the end.
    struct glob_parts {
        std::string start;
        std::vector<std::string> between;
        std::string end;
    };
    // Nothing for one that has other signs, or none.
    const std::optional<glob_parts>& as_glob_parts() const { return glob_parts_; }

    bool is_regex() const { return regex_ != nullptr; }
    // Nothing but itself matches; never so for a regular expression.
    bool is_literal() const { return literal_; }
    // Matches everything.
    bool is_any() const { return !is_regex() && source_ == "*"; }
    const std::string& source() const { return source_; }  // folded, if letters do not count
    bool gave_up() const { return regex_ && regex_->gave_up(); }

private:
    static std::optional<glob_parts> parse_glob_parts(std::string_view glob);
    static bool fits(const glob_parts& parts, std::string_view text);

    std::string source_;
    bool literal_ = false;
    std::optional<glob_parts> glob_parts_;
    std::shared_ptr<const regex> regex_;
};

}  // namespace muster::targeting
