"""Past one process, past one machine: workers behind fronts, with NATS JetStream between them."""
