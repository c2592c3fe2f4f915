/* Start of a program on a board without an operating system; standard output is that of the emulator. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int main(void);
extern void initialise_monitor_handles(void);
extern char __stack, __bss_start__, __bss_end__;

void _init(void) {}
void _fini(void) {}

__attribute__((noinline)) static void go(void)
{
    memset(&__bss_start__, 0, (size_t)(&__bss_end__ - &__bss_start__));
    initialise_monitor_handles();
    const int code = main();
    fflush(stdout);
    exit(code);
}

void Reset_Handler(void)
{
    *(volatile uint32_t *)0xE000ED88u |= 0xFu << 20; /* enable the floating-point unit */
    __asm volatile("dsb\n isb");
    go();
}

__attribute__((section(".vectors"), used)) static void *const vectors[] = {&__stack, Reset_Handler};
