#include "core/targeting/index/word_index.h"

namespace muster::targeting {

void word_index::add(std::string_view word, system_number system_number) {
    auto it = words_.find(word);
    if (it == words_.end()) it = words_.emplace(std::string(word), posting()).first;
    it->second.add(system_number);
}

void word_index::remove(std::string_view word, system_number system_number) {
    const auto it = words_.find(word);
    if (it == words_.end()) return;
    it->second.remove(system_number);
    if (it->second.empty()) words_.erase(it);
}

system_set word_index::matching(const text_pattern& test, const system_set& within) const {
    posting::gathered gathered;
    if (test.is_literal()) {
        const auto it = words_.find(test.source());
        if (it != words_.end()) it->second.gather(gathered);
    } else {
        for (const auto& [word, having] : words_)
            if (test.matches(word)) having.gather(gathered);
    }
    return gathered.among(within);
}

system_set word_index::ending(std::string_view end, const system_set& within) const {
    posting::gathered gathered;
    for (const auto& [word, having] : words_)
        if (word.ends_with(end)) having.gather(gathered);
    return gathered.among(within);
}

system_set word_index::having_any(
    const std::set<std::string>& words, const system_set& within) const {
    posting::gathered gathered;
    for (const auto& word : words) {
        const auto it = words_.find(word);
        if (it != words_.end()) it->second.gather(gathered);
    }
    return gathered.among(within);
}

word_index::counted_words word_index::counted(
    tag_page_request tag_page_request, const system_set& within) const {
    counted_words counted_words;
    for (auto each = words_.upper_bound(tag_page_request.after);
         each != words_.end() && counted_words.size() < tag_page_request.limit;
         ++each) {
        posting::gathered gathered;
        each->second.gather(gathered);
        const auto count = gathered.among(within).size();
        if (count > 0) counted_words.emplace_back(each->first, count);
    }
    return counted_words;
}

}  // namespace muster::targeting
