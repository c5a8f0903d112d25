#include "core/stream/subject_serializer.h"

#include <utility>

namespace muster::stream {

subject_serializer::arrival subject_serializer::arrived(delivery delivery) {
    const auto sequence = delivery.sequence;
    if (settled_.contains(sequence) || acknowledging_.contains(sequence))
        return arrival::acknowledged;
    subjects_.emplace(sequence, delivery.what.subject);
    auto& lane = lanes_[delivery.what.subject];
    if (lane.out == sequence) lane.out.reset();
    lane.waiting.insert_or_assign(sequence, std::move(delivery));
    refresh(lane);
    return arrival::taken;
}

std::vector<delivery> subject_serializer::take(std::size_t messages_max) {
    std::vector<delivery> deliveries;
    while (!held_ && deliveries.size() < messages_max && !ready_.empty()) {
        auto& lane = *ready_.begin()->second;
        auto first = lane.waiting.extract(lane.waiting.begin());
        lane.out = first.key();
        refresh(lane);
        deliveries.push_back(std::move(first.mapped()));
    }
    return deliveries;
}

bool subject_serializer::acknowledge(std::uint64_t sequence) {
    const auto subject = subjects_.find(sequence);
    if (subject == subjects_.end()) return false;
    auto& lane = lanes_.at(subject->second);
    // It may have come again meanwhile and wait for its second turn: once is enough.
    const bool was_out = lane.out == sequence;
    const bool came_again = lane.waiting.contains(sequence);
    if (!was_out && !came_again) return false;
    if (came_again) lane.waiting.erase(sequence);
    if (!lane.out) lane.out = sequence;  // keeps later ones back until the engine confirms
    acknowledging_.insert(sequence);
    refresh(lane);
    return true;
}

void subject_serializer::confirmed(std::uint64_t sequence) {
    const auto subject = subjects_.find(sequence);
    if (subject == subjects_.end()) return;
    const auto at = lanes_.find(subject->second);
    auto& lane = at->second;
    if (lane.out == sequence) lane.out.reset();
    lane.waiting.erase(sequence);
    acknowledging_.erase(sequence);
    subjects_.erase(subject);
    remember(sequence);
    refresh(lane);
    if (!lane.out && lane.waiting.empty()) lanes_.erase(at);
}

std::vector<std::uint64_t> subject_serializer::unconfirmed() const {
    std::vector<std::uint64_t> all;
    all.reserve(subjects_.size());
    for (const auto& [sequence, subject] : subjects_) all.push_back(sequence);
    return all;
}

void subject_serializer::refresh(lane& of) {
    if (of.ready) ready_.erase(*of.ready);
    of.ready.reset();
    if (of.out || of.waiting.empty()) return;
    of.ready = of.waiting.begin()->first;
    ready_.emplace(*of.ready, &of);
}

void subject_serializer::remember(std::uint64_t sequence) {
    if (!settled_.insert(sequence).second) return;
    settled_order_.push_back(sequence);
    if (settled_order_.size() <= settled_max) return;
    settled_.erase(settled_order_.front());
    settled_order_.pop_front();
}

}  // namespace muster::stream
