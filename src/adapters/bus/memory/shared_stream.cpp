#include "adapters/bus/memory/shared_stream.h"

#include "core/stream/subject.h"

#include <utility>

namespace muster {

memory_bus::shared_stream::shared_stream(muster::clock& clock, memory_bus_options options)
    : clock_(clock), feed_limits_(options.feed), log_(options.stream) {}

result<void> memory_bus::shared_stream::publish(stream::message message) {
    std::vector<std::shared_ptr<listener>> matching;
    {
        const std::scoped_lock lock(mutex_);
        TRY(const auto receipt, log_.publish(message, clock_.now()));
        if (receipt.duplicate) return {};
        for (const auto& listener : listeners_) {
            if (!stream::matches(listener->feed.pattern(), message.subject)) continue;
            const auto missed = listener->feed.missed();
            listener->feed.push(message);
            hits_.add_lagging(listener->feed.missed() - missed);
            matching.push_back(listener);
        }
    }
    for (const auto& listener : matching) listener->wakeup.notify();
    notify_readers({});
    return {};
}

std::shared_ptr<memory_bus::shared_stream::listener> memory_bus::shared_stream::add_listener(
    std::string pattern) {
    auto listener = std::make_shared<shared_stream::listener>(std::move(pattern), feed_limits_);
    const std::scoped_lock lock(mutex_);
    listeners_.push_back(listener);
    return listener;
}

void memory_bus::shared_stream::remove_listener(const std::shared_ptr<listener>& listener) {
    const std::scoped_lock lock(mutex_);
    listeners_.remove(listener);
}

std::optional<stream::message> memory_bus::shared_stream::pop_message(listener& listener) {
    const std::scoped_lock lock(mutex_);
    return listener.feed.pop();
}

std::uint64_t memory_bus::shared_stream::missed_count(const listener& listener) const {
    const std::scoped_lock lock(mutex_);
    return listener.feed.missed();
}

result<std::shared_ptr<memory_bus::shared_stream::reader>> memory_bus::shared_stream::open(
    const consumer_options& options) {
    auto reader = std::make_shared<shared_stream::reader>();
    {
        const std::scoped_lock lock(mutex_);
        TRY(reader->number, log_.open_consumer(options, clock_.now()));
        reader->consumer = options.name;
        readers_.push_back(reader);
    }
    notify_readers(options.name);  // the earlier reader then finds that it was taken over
    return reader;
}

void memory_bus::shared_stream::close(const std::shared_ptr<reader>& reader) {
    {
        const std::scoped_lock lock(mutex_);
        log_.close_reader(reader->consumer, reader->number);
        readers_.remove(reader);
    }
    notify_readers(reader->consumer);
}

result<std::vector<stream::delivery>> memory_bus::shared_stream::fetch(
    reader& reader, std::size_t messages_max) {
    const std::scoped_lock lock(mutex_);
    return log_.fetch(
        {.consumer = reader.consumer, .reader = reader.number, .messages_max = messages_max},
        clock_.now());
}

result<void> memory_bus::shared_stream::acknowledge(
    reader& reader, const std::vector<std::uint64_t>& sequences) {
    {
        const std::scoped_lock lock(mutex_);
        CHECK_OK(log_.acknowledge(reader.consumer, reader.number, sequences));
    }
    reader.wakeup.notify();  // the next message of each subject can be delivered
    return {};
}

result<void> memory_bus::shared_stream::delete_consumer(const std::string& name) {
    {
        const std::scoped_lock lock(mutex_);
        CHECK_OK(log_.delete_consumer(name));
    }
    notify_readers(name);
    return {};
}

std::optional<instant> memory_bus::shared_stream::next_deadline() const {
    const std::scoped_lock lock(mutex_);
    return log_.next_deadline();
}

void memory_bus::shared_stream::notify_readers(const std::string& consumer) {
    std::vector<std::shared_ptr<reader>> matching;
    {
        const std::scoped_lock lock(mutex_);
        for (const auto& reader : readers_) {
            if (consumer.empty() || reader->consumer == consumer) matching.push_back(reader);
        }
    }
    for (const auto& reader : matching) reader->wakeup.notify();
}

}  // namespace muster
