/** Methods of beans that handle jobs. */
@NullMarked
package dev.howdah.beans.internal.handler;

import org.jspecify.annotations.NullMarked;
