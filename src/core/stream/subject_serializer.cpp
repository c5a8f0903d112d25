#include "core/stream/subject_serializer.h"

#include <utility>

namespace muster::stream {

subject_serializer::arrival subject_serializer::on_delivery(delivery delivery) {
    const auto sequence = delivery.sequence;
    if (settled_.contains(sequence) || acknowledging_.contains(sequence))
        return arrival::acknowledged;
    subjects_.emplace(sequence, delivery.message.subject);
    auto& queue = queues_[delivery.message.subject];
    if (queue.delivered == sequence) queue.delivered.reset();
    queue.waiting.insert_or_assign(sequence, std::move(delivery));
    refresh(queue);
    return arrival::queued;
}

std::vector<delivery> subject_serializer::pop_ready(std::size_t messages_max) {
    std::vector<delivery> deliveries;
    while (!held_ && deliveries.size() < messages_max && !ready_.empty()) {
        auto& queue = *ready_.begin()->second;
        auto first = queue.waiting.extract(queue.waiting.begin());
        queue.delivered = first.key();
        refresh(queue);
        deliveries.push_back(std::move(first.mapped()));
    }
    return deliveries;
}

bool subject_serializer::acknowledge(std::uint64_t sequence) {
    const auto subject = subjects_.find(sequence);
    if (subject == subjects_.end()) return false;
    auto& queue = queues_.at(subject->second);
    // It may have come again meanwhile and wait for its second turn: once is enough.
    const bool was_out = queue.delivered == sequence;
    const bool came_again = queue.waiting.contains(sequence);
    if (!was_out && !came_again) return false;
    if (came_again) queue.waiting.erase(sequence);
    if (!queue.delivered)
        queue.delivered = sequence;  // keeps later ones back until the engine confirms
    acknowledging_.insert(sequence);
    refresh(queue);
    return true;
}

void subject_serializer::on_confirmed(std::uint64_t sequence) {
    const auto subject = subjects_.find(sequence);
    if (subject == subjects_.end()) return;
    const auto it = queues_.find(subject->second);
    auto& queue = it->second;
    if (queue.delivered == sequence) queue.delivered.reset();
    queue.waiting.erase(sequence);
    acknowledging_.erase(sequence);
    subjects_.erase(subject);
    remember(sequence);
    refresh(queue);
    if (!queue.delivered && queue.waiting.empty()) queues_.erase(it);
}

std::vector<std::uint64_t> subject_serializer::unconfirmed() const {
    std::vector<std::uint64_t> sequences;
    sequences.reserve(subjects_.size());
    for (const auto& [sequence, subject] : subjects_) sequences.push_back(sequence);
    return sequences;
}

void subject_serializer::refresh(subject_queue& queue) {
    if (queue.ready) ready_.erase(*queue.ready);
    queue.ready.reset();
    if (queue.delivered || queue.waiting.empty()) return;
    queue.ready = queue.waiting.begin()->first;
    ready_.emplace(*queue.ready, &queue);
}

void subject_serializer::remember(std::uint64_t sequence) {
    if (!settled_.insert(sequence).second) return;
    settled_order_.push_back(sequence);
    if (settled_order_.size() <= settled_max) return;
    settled_.erase(settled_order_.front());
    settled_order_.pop_front();
}

}  // namespace muster::stream
