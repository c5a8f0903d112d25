#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace prometheus {
class Counter;
class Gauge;
}  // namespace prometheus

namespace muster::runtime {

// Handles live as long as the metrics they came from. Thread-safe.
class counter {
public:
    explicit counter(prometheus::Counter& held) : held_(&held) {}
    void add(double amount = 1);

private:
    prometheus::Counter* held_;
};

class gauge {
public:
    explicit gauge(prometheus::Gauge& held) : held_(&held) {}
    void set(double value);

private:
    prometheus::Gauge* held_;
};

struct metric_name {
    std::string name;  // "muster_requests_total"
    std::string help;
    std::map<std::string, std::string> labels = {};
};

// What this process counts, for /metrics. Asking again for the same name and labels gives the same
// metric. Thread-safe.
class metrics {
public:
    metrics();
    metrics(const metrics&) = delete;
    metrics& operator=(const metrics&) = delete;
    ~metrics();

    counter make_counter(const metric_name& metric_name);
    gauge make_gauge(const metric_name& metric_name);

    // Reads `value` whenever the metrics are read: for what others count themselves.
    void watch_gauge(const metric_name& metric_name, std::function<double()> value);
    // The same for totals that only grow.
    void watch_counter(const metric_name& metric_name, std::function<double()> total);

    // Prometheus' text format, version 0.0.4.
    std::string text();

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace muster::runtime
