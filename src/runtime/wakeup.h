#pragma once

namespace muster::runtime {

// Interface of a component that looks for work again when woken.
class wakeup {
public:
    wakeup() = default;
    wakeup(const wakeup&) = delete;
    wakeup& operator=(const wakeup&) = delete;
    virtual ~wakeup() = default;

    virtual void wake() = 0;  // from any thread
};

}  // namespace muster::runtime
