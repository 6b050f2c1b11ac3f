"""Past one process, past one machine: real servers of NATS, real processes, real signals."""
