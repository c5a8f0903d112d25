#include "runtime/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <mutex>
#include <utility>
#include <vector>

namespace muster::runtime {

void counter::add(double amount) {
    held_->Increment(amount);
}

void gauge::set(double value) {
    held_->Set(value);
}

struct metrics::impl {
    prometheus::Registry registry;
    std::mutex guard;
    std::vector<std::function<void()>> before_reading;

    prometheus::Counter& counter_of(const metric_name& metric_name) {
        return prometheus::BuildCounter()
            .Name(metric_name.name)
            .Help(metric_name.help)
            .Register(registry)
            .Add(metric_name.labels);
    }

    prometheus::Gauge& gauge_of(const metric_name& metric_name) {
        return prometheus::BuildGauge()
            .Name(metric_name.name)
            .Help(metric_name.help)
            .Register(registry)
            .Add(metric_name.labels);
    }

    void refresh_with(std::function<void()> step) {
        const std::lock_guard lock(guard);
        before_reading.push_back(std::move(step));
    }
};

metrics::metrics() : impl_(std::make_unique<impl>()) {}

metrics::~metrics() = default;

counter metrics::make_counter(const metric_name& metric_name) {
    return counter(impl_->counter_of(metric_name));
}

gauge metrics::make_gauge(const metric_name& metric_name) {
    return gauge(impl_->gauge_of(metric_name));
}

void metrics::watch_gauge(const metric_name& metric_name, std::function<double()> value) {
    auto& held = impl_->gauge_of(metric_name);
    impl_->refresh_with([&held, value = std::move(value)] { held.Set(value()); });
}

void metrics::watch_counter(const metric_name& metric_name, std::function<double()> total) {
    auto& held = impl_->counter_of(metric_name);
    impl_->refresh_with(
        [&held, total = std::move(total)] { held.Increment(total() - held.Value()); });
}

std::string metrics::text() {
    // Held over the reading, so that two readers do not add the same growth twice.
    const std::lock_guard lock(impl_->guard);
    for (const auto& step : impl_->before_reading) step();
    return prometheus::TextSerializer().Serialize(impl_->registry.Collect());
}

}  // namespace muster::runtime
