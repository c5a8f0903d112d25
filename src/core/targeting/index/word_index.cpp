#include "core/targeting/index/word_index.h"

namespace muster::targeting {

void word_index::add(std::string_view word, system_number who) {
    auto found = words_.find(word);
    if (found == words_.end()) found = words_.emplace(std::string(word), posting()).first;
    found->second.add(who);
}

void word_index::remove(std::string_view word, system_number who) {
    const auto found = words_.find(word);
    if (found == words_.end()) return;
    found->second.remove(who);
    if (found->second.empty()) words_.erase(found);
}

system_set word_index::matching(const text_pattern& test, const system_set& within) const {
    posting::gathered who;
    if (test.is_literal()) {
        const auto found = words_.find(test.source());
        if (found != words_.end()) found->second.gather(who);
    } else {
        for (const auto& [word, having] : words_)
            if (test.matches(word)) having.gather(who);
    }
    return who.among(within);
}

system_set word_index::ending(std::string_view end, const system_set& within) const {
    posting::gathered who;
    for (const auto& [word, having] : words_)
        if (word.ends_with(end)) having.gather(who);
    return who.among(within);
}

system_set word_index::having_any(
    const std::set<std::string>& words, const system_set& within) const {
    posting::gathered who;
    for (const auto& each : words) {
        const auto found = words_.find(each);
        if (found != words_.end()) found->second.gather(who);
    }
    return who.among(within);
}

word_index::counted_words word_index::counted(page_wish wanted, const system_set& within) const {
    counted_words made;
    for (auto each = words_.upper_bound(wanted.after);
         each != words_.end() && made.size() < wanted.limit;
         ++each) {
        posting::gathered who;
        each->second.gather(who);
        const auto count = who.among(within).size();
        if (count > 0) made.emplace_back(each->first, count);
    }
    return made;
}

}  // namespace muster::targeting
